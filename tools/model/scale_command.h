/* SPDX-License-Identifier: Apache-2.0 */
/* gpulink-model scale: lanes of many processes. */
#ifndef MODEL_SCALE_COMMAND_H
#define MODEL_SCALE_COMMAND_H

/* `argv` begins with the command. Returns the exit status. */
int scale_command(int argc, char **argv);

#endif /* MODEL_SCALE_COMMAND_H */
