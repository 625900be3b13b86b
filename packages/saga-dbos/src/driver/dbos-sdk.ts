import { createRequire } from "node:module";

type Sdk = typeof import("@dbos-inc/dbos-sdk");
type Internal = typeof import("@dbos-inc/dbos-sdk/internal/dbos-executor");

const require = createRequire(import.meta.url);
let loaded: Sdk | undefined;

/** Loads DBOS on first use, so that apps with another runner do not load it. */
export const dbosSdk = (): Sdk => (loaded ??= require("@dbos-inc/dbos-sdk") as Sdk);

/** Returns DBOS, a singleton of the process. */
export const dbos = (): Sdk["DBOS"] => dbosSdk().DBOS;

/**
 * Shuts DBOS down and unregisters its workflows, so that it can be launched again. If the shutdown fails twice, the executor is dropped: its connections may
 * already be closed, and closing them again fails.
 *
 * @param onError called with the first two errors; a third one rejects the promise
 */
export const shutDown = async (onError: (error: unknown) => void): Promise<void> => {
  const again = async (error: unknown): Promise<void> => {
    onError(error);
    await dbos().shutdown({ deregister: true });
  };
  const last = async (error: unknown): Promise<void> => {
    executorClass().globalInstance = undefined;
    await again(error);
  };
  await dbos().shutdown({ deregister: true }).catch(again).catch(last);
};

/** Returns the executor of this process's workflows; `undefined` before DBOS is launched. */
export const dbosExecutor = (): Internal["DBOSExecutor"]["globalInstance"] => executorClass().globalInstance;

const executorClass = (): Internal["DBOSExecutor"] =>
  (require("@dbos-inc/dbos-sdk/internal/dbos-executor") as Internal).DBOSExecutor;
