! SPDX-License-Identifier: Apache-2.0
! Fortran stores to another GPU's memory, or to the next process's if there are several: example-fortran [DEVICE].
program store
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: read_write = 3, greater_or_equal = 3
  integer(c_size_t), parameter :: rows = 500
  integer(c_int64_t), parameter :: window_bytes = 65536, first = 64, minute = 60000000000_c_int64_t, no_tag = -1

  type, bind(c) :: gpulink_info
    character(kind=c_char) :: name(128), kind(8)
    integer(c_int32_t) :: partitions, queue_entries, subheader_widths, context
    integer(c_int64_t) :: generation, features
    integer(c_int32_t) :: process, processes
  end type

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
    integer(c_int) function gpulink_get_info(device, info, bytes) bind(c)
      import
      type(c_ptr), value :: device
      type(gpulink_info), intent(out) :: info
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function gpulink_endpoint_memory(device, partition, memory, bytes) bind(c)
      import
      type(c_ptr), value :: device
      integer(c_int), value :: partition
      type(c_ptr), intent(out) :: memory
      integer(c_size_t), intent(out) :: bytes
    end function
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
    integer(c_int) function gpulink_fetch_add(window, offset, bytes, operand, memory, memory_offset, tag) bind(c)
      import
      type(c_ptr), value :: window, memory
      integer(c_int64_t), value :: offset, operand, memory_offset, tag
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function gpulink_wait_until(address, compare, value, timeout_ns, seen) bind(c)
      import
      type(c_ptr), value :: address, seen
      integer(c_int), value :: compare
      integer(c_int64_t), value :: value, timeout_ns
    end function
    integer(c_int) function gpulink_release(device, timeout_ns) bind(c)
      import
      type(c_ptr), value :: device
      integer(c_int64_t), value :: timeout_ns
    end function
    function gpulink_error_text(code) bind(c) result(text)
      import
      integer(c_int), value :: code
      type(c_ptr) :: text
    end function
    integer(c_size_t) function strlen(text) bind(c)
      import
      type(c_ptr), value :: text
    end function
  end interface

  type(gpulink_info) :: info
  type(c_ptr) :: device
  type(c_ptr), allocatable :: windows(:)
  character(len=256) :: name
  real(c_double), target :: rank(rows), last(rows)
  integer(c_size_t) :: i
  integer :: p, next

  call get_command_argument(1, name)
  if (name == '') name = 'soft:'
  call check(gpulink_open(trim(name)//c_null_char, device))
  call check(gpulink_get_info(device, info, c_sizeof(info)))
  allocate(windows(0:info%processes - 1))
  do p = 0, info%processes - 1
    call check(gpulink_window_open(device, p, 0_c_int64_t, window_bytes, read_write, windows(p)))
  end do
  next = mod(info%process + 1, info%processes)
  do i = 1, rows
    rank(i) = 0.5_c_double * real(i, c_double) + info%process
    call check(gpulink_store(windows(next), first + int(8 * (i - 1), c_int64_t), c_loc(rank(i)), 8_c_size_t))
  end do
  call check(gpulink_release(device, minute))
  call check(gpulink_load(windows(next), first, c_loc(last), 8 * rows))
  call meet()
  call gpulink_close(device)
  deallocate(windows)
  if (any(abs(last - rank) > 0)) then
    print '(a)', 'store.f90: the memory has not what was stored'
    stop 1
  end if
  print '(a, f0.1)', 'store.f90: the last row has ', last(rows)

contains

  ! Returns when all processes have come: nobody needs another's memory any more.
  subroutine meet()
    type(c_ptr) :: memory
    integer(c_size_t) :: bytes
    integer :: q

    do q = 0, info%processes - 1
      call check(gpulink_fetch_add(windows(q), 0_c_int64_t, 8_c_size_t, 1_c_int64_t, c_null_ptr, 0_c_int64_t, no_tag))
    end do
    call check(gpulink_release(device, minute))
    call check(gpulink_endpoint_memory(device, info%process, memory, bytes))
    call check(gpulink_wait_until(memory, greater_or_equal, int(info%processes, c_int64_t), minute, c_null_ptr))
  end subroutine

  subroutine check(code)
    integer(c_int), intent(in) :: code
    character(kind=c_char), pointer :: text(:)
    type(c_ptr) :: where

    if (code >= 0) return
    where = gpulink_error_text(code)
    call c_f_pointer(where, text, [strlen(where)])
    print '(*(a))', 'store.f90: ', text
    stop 1
  end subroutine

end program
