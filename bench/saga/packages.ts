/** The measured packages, loaded from their sources, and the servers. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
export { openDatabase } from "../../packages/database/src/index.ts";
export { createKernel } from "../../packages/durable/src/feature.ts";
export { saga, type SagaEngine } from "../../packages/saga/src/index.ts";
export { EngineSet } from "../../packages/saga/src/engine-set.ts";
export { SagaSet } from "../../packages/saga/src/saga-set.ts";
export { dbosRunner } from "../../packages/saga-dbos/src/index.ts";
export { startPostgres } from "../../tools/services/src/postgres.ts";
