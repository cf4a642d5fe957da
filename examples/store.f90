! SPDX-License-Identifier: Apache-2.0
! Fortran stores to another GPU's or process's memory: example-fortran [DEVICE].
program store
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: read_write = 3
  integer(c_size_t), parameter :: rows = 500
  integer(c_int64_t), parameter :: second = 1000000000_c_int64_t

  interface
    integer(c_int) function gpulink_open(name, device) bind(c)
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: device
    end function
    subroutine gpulink_close(device) bind(c)
      import
      type(c_ptr), value :: device
    end subroutine
    integer(c_int) function gpulink_window_open(device, partition, offset, bytes, rights, window) bind(c)
      import
      type(c_ptr), value :: device
      integer(c_int), value :: partition, rights
      integer(c_int64_t), value :: offset, bytes
      type(c_ptr), intent(out) :: window
    end function
    integer(c_int) function gpulink_store(window, offset, data, bytes) bind(c)
      import
      type(c_ptr), value :: window, data
      integer(c_int64_t), value :: offset
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function gpulink_load(window, offset, data, bytes) bind(c)
      import
      type(c_ptr), value :: window, data
      integer(c_int64_t), value :: offset
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function gpulink_release(device, timeout_ns) bind(c)
      import
      type(c_ptr), value :: device
      integer(c_int64_t), value :: timeout_ns
    end function
    function gpulink_strerror(code) bind(c) result(text)
      import
      integer(c_int), value :: code
      type(c_ptr) :: text
    end function
    integer(c_size_t) function strlen(text) bind(c)
      import
      type(c_ptr), value :: text
    end function
  end interface

  type(c_ptr) :: device, window
  character(len=256) :: name
  real(c_double), target :: rank(rows), last(rows)
  integer(c_size_t) :: i

  call get_command_argument(1, name)
  if (name == '') name = 'soft:'
  call check(gpulink_open(trim(name)//c_null_char, device))
  call check(gpulink_window_open(device, 0, 0_c_int64_t, 65536_c_int64_t, read_write, window))
  do i = 1, rows
    rank(i) = 0.5_c_double * real(i, c_double)
    call check(gpulink_store(window, int(8 * (i - 1), c_int64_t), c_loc(rank(i)), 8_c_size_t))
  end do
  call check(gpulink_release(device, second))
  call check(gpulink_load(window, 0_c_int64_t, c_loc(last), 8 * rows))
  call gpulink_close(device)
  if (any(abs(last - rank) > 0)) then
    print '(a)', 'store.f90: the memory has not what was stored'
    stop 1
  end if
  print '(a, f0.1)', 'store.f90: the last row has ', last(rows)

contains

  subroutine check(code)
    integer(c_int), intent(in) :: code
    character(kind=c_char), pointer :: text(:)
    type(c_ptr) :: where

    if (code >= 0) return
    where = gpulink_strerror(code)
    call c_f_pointer(where, text, [strlen(where)])
    print '(*(a))', 'store.f90: ', text
    stop 1
  end subroutine

end program
