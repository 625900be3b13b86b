import type { Database } from "@framework/database";
import type { AnySaga } from "../definition/definition.ts";
import { changedDefinition } from "../errors/saga-errors.ts";

/**
 * Compares each list of steps with the list of its running instances.
 *
 * @throws SAGA_CHANGED if instances are running that were started with another list of the same version
 */
export const checkDefinitions = async (db: Database, definitions: readonly AnySaga[]): Promise<void> => {
  for (const { name, version, hash } of definitions) {
    const running = await db.fetchValue`SELECT id FROM framework_sagas
      WHERE name = ${name} AND version = ${version} AND finished_at IS NULL AND hash <> ${hash} LIMIT 1`;
    if (running !== null) throw changedDefinition(name, version);
  }
};
