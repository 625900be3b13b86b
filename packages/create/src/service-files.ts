import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { serviceManifest } from "./service-manifest.ts";
import type { Variant } from "./variant.ts";

/** The name in the templates, which is replaced by the name of the service. */
export const TEMPLATE_NAME = "my-service";

/**
 * Returns the files of a new service by path, `/` between folders.
 *
 * @param createSecret creates a random string of at least 32 URL-safe characters
 */
export const serviceFiles = (
  name: string,
  variant: Variant,
  createSecret: () => string,
): ReadonlyMap<string, string> => {
  const folder = fileURLToPath(new URL(`../templates/${variant}`, import.meta.url));
  const files = new Map<string, string>([["package.json", serviceManifest(name, variant)]]);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(pathOf(relative(folder, path), name), withName(readFileSync(path, "utf8"), name));
  }
  const example = files.get(".env.example");
  if (example !== undefined) files.set(".env", withSecrets(example, createSecret));
  return new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)));
};

/** Restores file names: npm does not pack tests and some dotfiles, so they have other names in the templates. */
const pathOf = (path: string, name: string): string =>
  withName(
    path
      .replaceAll(sep, "/")
      .replaceAll(/(^|\/)dot-/g, "$1.")
      .replace(/-test\.ts$/, ".test.ts"),
    name,
  );

const withName = (text: string, name: string): string => text.replaceAll(TEMPLATE_NAME, name);

/** Returns the text of `.env`: the example with a generated secret, and the password for Compose. `npm run write-env` writes the same in a clone. */
const withSecrets = (example: string, createSecret: () => string): string =>
  `${example.replace(/^AUTH_SECRET=$/m, `AUTH_SECRET=${createSecret()}`)}
# Password of PostgreSQL, for compose.yaml alone.
POSTGRES_PASSWORD=${createSecret()}
`;
