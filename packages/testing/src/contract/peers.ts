import { testingError } from "../errors.ts";

/** The part of fast-check that a contract test uses. */
export type FastCheck = typeof import("fast-check").default;

/** Constructor of validators for JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type Ajv = typeof import("ajv/dist/2020.js").Ajv2020;

/** Loads fast-check, an optional peer dependency. @throws TESTING_MISSING_PACKAGE */
export const loadFastCheck = (): Promise<FastCheck> =>
  loaded("fast-check", async () => (await import("fast-check")).default);

/** Loads ajv, an optional peer dependency. @throws TESTING_MISSING_PACKAGE */
export const loadAjv = (): Promise<Ajv> =>
  loaded("ajv", async () => (await import("ajv/dist/2020.js")).Ajv2020);

/** The result of `load`. @throws TESTING_MISSING_PACKAGE when it fails */
export const loaded = async <T>(name: string, load: () => Promise<T>): Promise<T> => {
  try {
    return await load();
  } catch (error) {
    const message = `contractTest needs ${name}: npm install --save-dev ${name}`;
    throw testingError("TESTING_MISSING_PACKAGE", message, error);
  }
};
