import { readdirSync } from "node:fs";
import { FrameworkError } from "@framework/core";

/**
 * Checks that a folder does not exist or is empty; a new Git repository counts as empty.
 *
 * @throws CREATE_NOT_EMPTY
 */
export const checkFolder = (folder: string): void => {
  const entries = entriesOf(folder);
  if (entries === null)
    throw new FrameworkError("CREATE_NOT_EMPTY", `${folder} is a file; choose another name`);
  const files = entries.filter((name) => name !== ".git");
  if (files.length === 0) return;
  const shown = files.slice(0, MAX_SHOWN).join(", ") + (files.length > MAX_SHOWN ? ", …" : "");
  throw new FrameworkError(
    "CREATE_NOT_EMPTY",
    `${folder} is not empty (${shown}); nothing was written: choose another name, or empty the folder`,
  );
};

const MAX_SHOWN = 3;

/** Names in a folder, empty if it does not exist; `null` for a file. */
const entriesOf = (folder: string): readonly string[] | null => {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    if (code === "ENOTDIR") return null;
    throw error;
  }
};
