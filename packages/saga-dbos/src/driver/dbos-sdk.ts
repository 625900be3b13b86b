import { createRequire } from "node:module";

type Sdk = typeof import("@dbos-inc/dbos-sdk");
type Internal = typeof import("@dbos-inc/dbos-sdk/internal/dbos-executor");

const require = createRequire(import.meta.url);
let loaded: Sdk | undefined;

/** Loads DBOS on first use, so that apps that choose another runner do not pay for it. */
export const dbosSdk = (): Sdk => (loaded ??= require("@dbos-inc/dbos-sdk") as Sdk);

/** DBOS, which exists once in a process. */
export const dbos = (): Sdk["DBOS"] => dbosSdk().DBOS;

/**
 * Shuts DBOS down and forgets its workflows, so that it can be launched again. One that fails to, for a second time too, is left behind: its connections may be
 * ended already, which cannot be repeated.
 *
 * @param failed called with each error
 */
export const shutDown = async (failed: (error: unknown) => void): Promise<void> => {
  const again = async (error: unknown): Promise<void> => {
    failed(error);
    await dbos().shutdown({ deregister: true });
  };
  const last = async (error: unknown): Promise<void> => {
    executorClass().globalInstance = undefined;
    await again(error);
  };
  await dbos().shutdown({ deregister: true }).catch(again).catch(last);
};

/** What runs the workflows of this process; `undefined` before DBOS is launched. */
export const dbosExecutor = (): Internal["DBOSExecutor"]["globalInstance"] => executorClass().globalInstance;

const executorClass = (): Internal["DBOSExecutor"] =>
  (require("@dbos-inc/dbos-sdk/internal/dbos-executor") as Internal).DBOSExecutor;
