/** The largest state of all projects together, in characters of JSON and bytes of images: 1 GiB. */
export const DEFAULT_MAX_STATE_BYTES = 1024 * 1024 * 1024;

/** The maximum number of projects. An idle project needs about 2.5 KiB. */
export const DEFAULT_MAX_PROJECTS = 20_000;
