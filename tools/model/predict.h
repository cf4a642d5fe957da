/* SPDX-License-Identifier: Apache-2.0 */
/* gpulink-model predict and goal: from traces. */
#ifndef MODEL_PREDICT_H
#define MODEL_PREDICT_H

/* `argv` begins with the command. Return the exit status. */
int predict_command(int argc, char **argv);
int goal_command(int argc, char **argv);

#endif /* MODEL_PREDICT_H */
