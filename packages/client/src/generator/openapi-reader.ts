/** A JSON object of a document. */
export interface JsonObject {
  readonly [name: string]: unknown;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the member of an object if it is an object, otherwise `{}`. */
export const child = (parent: JsonObject, name: string): JsonObject => {
  const value = Object.hasOwn(parent, name) ? parent[name] : undefined;
  return isObject(value) ? value : {};
};

/** Returns the items of a list that are objects. */
export const objectsOf = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const MAX_REFERENCES = 20;

/** A named schema that refers to itself outside the properties of an object. */
export interface RecursiveSchema {
  /** Name of the schema's type in the generated module. */
  readonly alias: string;
  /** Whether the schema refers to itself without a list or record in between, which no finite type can describe. */
  readonly isDirectlyRecursive: boolean;
}

/** A document with methods that resolve its local references. */
export class OpenapiReader {
  readonly root: JsonObject;
  /** Recursive schemas by name. */
  readonly recursive: ReadonlyMap<string, RecursiveSchema>;

  constructor(root: JsonObject, recursive: ReadonlyMap<string, RecursiveSchema> = new Map()) {
    this.root = root;
    this.recursive = recursive;
  }

  /** Returns the value of a local reference (RFC 6901); `undefined` for a remote or dangling reference. */
  at(reference: string): unknown {
    if (!/^#(?:\/|$)/.test(reference)) return undefined;
    let value: unknown = this.root;
    for (const token of reference.split("/").slice(1)) {
      const key = decodeToken(token);
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as Record<string, unknown>)[key];
    }
    return value;
  }

  /** Resolves the references of a parameter, body, reply or path item; returns `{}` for dangling and circular references. */
  resolve(value: unknown): JsonObject {
    let found = value;
    for (let followed = 0; followed < MAX_REFERENCES; followed++) {
      if (!isObject(found)) return {};
      const { $ref: reference } = found;
      if (typeof reference !== "string") return found;
      found = this.at(reference);
    }
    return {};
  }

  /** Returns the name of a schema in `Schemas`; `null` for other references. */
  schemaName(reference: string): string | null {
    const [, token] = /^#\/components\/schemas\/([^/]+)$/.exec(reference) ?? [];
    if (token === undefined) return null;
    const name = decodeToken(token);
    return Object.hasOwn(child(child(this.root, "components"), "schemas"), name) ? name : null;
  }
}

const decodeToken = (token: string): string => {
  const plain = token.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain; // not percent-encoded: the token is literal
  }
};
