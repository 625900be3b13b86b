import { createRequire } from "node:module";

type Sdk = typeof import("@dbos-inc/dbos-sdk");
type Internal = typeof import("@dbos-inc/dbos-sdk/internal/dbos-executor");

const require = createRequire(import.meta.url);
let loaded: Sdk | undefined;

/** Loads DBOS on first use, so that apps that choose another runner do not pay for it. */
export const dbosSdk = (): Sdk => (loaded ??= require("@dbos-inc/dbos-sdk") as Sdk);

/** DBOS, which exists once in a process. */
export const dbos = (): Sdk["DBOS"] => dbosSdk().DBOS;

/** What runs the workflows of this process; `undefined` before DBOS is launched. */
export const dbosExecutor = (): Internal["DBOSExecutor"]["globalInstance"] =>
  (require("@dbos-inc/dbos-sdk/internal/dbos-executor") as Internal).DBOSExecutor.globalInstance;
