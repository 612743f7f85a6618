/** The maximum memory for the state of all projects together, in bytes: 1 GiB. */
export const DEFAULT_MAX_STATE_BYTES = 1024 * 1024 * 1024;

/** The maximum number of projects. An idle project needs about 2.5 KiB. */
export const DEFAULT_MAX_PROJECTS = 100_000;
