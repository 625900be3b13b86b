/**
 * Names that operations cannot have: `await` calls `then`, `JSON.stringify` calls `toJSON`, `$close` closes the client, and members of Object.prototype
 * have their own types.
 */
const reserved: ReadonlySet<string> = new Set([
  "$close",
  "then",
  "toJSON",
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/** Returns a function that names operations: by the `operationId` in camelCase, otherwise by method and path; repeated names are numbered. */
export const operationNames = (): ((operationId: unknown, method: string, path: string) => string) => {
  const taken = new Set<string>();
  return (operationId, method, path) => {
    const own = typeof operationId === "string" ? camelCase(operationId) : "";
    const plain = (own === "" ? camelCase(`${method} ${path}`) : own).slice(0, MAX_LENGTH);
    const wanted = reserved.has(plain) ? `${plain}Operation` : plain;
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}${/\d$/.test(wanted) ? "_" : ""}${number}`;
      if (taken.has(name)) continue;
      taken.add(name);
      return name;
    }
  };
};

const MAX_LENGTH = 100;

/** Returns an identifier of ASCII letters, digits and `$`, with `_` before a leading digit; "" if the text has none of them. */
const camelCase = (text: string): string => {
  const words = text.split(/[^A-Za-z0-9_$]+|_/).filter((word) => word !== "");
  const name = words
    .map(
      (word, index) =>
        (index === 0 ? word.charAt(0).toLowerCase() : word.charAt(0).toUpperCase()) + word.slice(1),
    )
    .join("");
  return /^\d/.test(name) ? `_${name}` : name;
};
