export { dbosRunner } from "./dbos-runner.ts";
export { DbosRunnerConfig } from "./dbos-runner-config.ts";
export { dbosErrors } from "./error-codes.ts";
