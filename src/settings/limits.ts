/** How much memory the state of all projects may take together. In bytes: 1 GiB. */
export const DEFAULT_MAX_STATE_BYTES = 1024 * 1024 * 1024;

/** How many projects may exist. An idle project takes about 2.5 KiB. */
export const DEFAULT_MAX_PROJECTS = 100_000;
