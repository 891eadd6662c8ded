# Lets Open MPI start as root, and with more ranks than cores; other MPIs ignore these settings. Network transports are excluded
# rather than the wanted one named: shared memory is `vader` in version 4 and `sm` in 5, and the other name is an error.
set(mpi_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=^tcp,openib,ofi,uct,usnic PRTE_MCA_hwloc_default_binding_policy=none
  OMP_PROC_BIND=false OMP_WAIT_POLICY=passive KOKKOS_NUM_THREADS=1 OMP_NUM_THREADS=1
)
if(RIFFLE_SANITIZERS)
  # MPI itself does not free all of its memory.
  list(APPEND mpi_environment ASAN_OPTIONS=detect_leaks=0)
endif()
