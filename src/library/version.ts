import manifest from "../../package.json" with { type: "json" };

/** The version of resource-mock, as its package says it. */
export const version: string = manifest.version;

declare global {
  /** Set by the build, so that what is for the sources only is left out of what is built. */
  const IS_BUILT: true | undefined;

  /** Set by the build: another one for other sources. */
  const BUILD_ID: string | undefined;

  /** Set by the build of CommonJS. */
  const IS_COMMONJS: true | undefined;
}
