import { testingError } from "../errors.ts";

/** The module fast-check. */
export type FastCheck = typeof import("fast-check").default;

/** Constructor of validators for JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type Ajv = typeof import("ajv/dist/2020.js").Ajv2020;

interface Imports {
  readonly importFastCheck?: () => Promise<FastCheck>;
  readonly importAjv?: () => Promise<Ajv>;
}

/** Loads the optional peer dependencies. @throws TESTING_MISSING_PACKAGE that names every missing one */
export const loadPeers = async ({
  importFastCheck = async () => (await import("fast-check")).default,
  importAjv = async () => (await import("ajv/dist/2020.js")).Ajv2020,
}: Imports = {}): Promise<{ readonly fc: FastCheck; readonly Ajv: Ajv }> => {
  const [fastCheck, ajv] = await Promise.allSettled([importFastCheck(), importAjv()]);
  if (fastCheck.status === "fulfilled" && ajv.status === "fulfilled")
    return { fc: fastCheck.value, Ajv: ajv.value };
  const failures = Object.entries({ "fast-check": fastCheck, ajv }).flatMap(([name, result]) =>
    result.status === "rejected" ? [{ name, cause: result.reason as unknown }] : [],
  );
  const names = failures.map(({ name }) => name);
  const message = `contractTest needs ${names.join(" and ")}: npm install --save-dev ${names.join(" ")}`;
  throw testingError("TESTING_MISSING_PACKAGE", message, failures[0]?.cause);
};
