/** Set by the build, so that what is for the sources only is left out of what is built. */
declare const IS_BUILT: true | undefined;

/** Set by the build of CommonJS. */
declare const IS_COMMONJS: true | undefined;
