export { type StaticFiles, staticFiles } from "./static-files.ts";
export { StaticFilesConfig, type StaticFilesInput } from "./static-files-config.ts";
export { staticFilesErrors } from "./error-codes.ts";
