/** The spellings of one feature: package, file and header field, constant, interface. */
export interface Names {
  /** Package and folder: `rate-limit`. */
  readonly name: string;
  /** File after the feature's constant: `rate-limiting`. */
  readonly file: string;
  /** Constant: `rateLimiting`. */
  readonly feature: string;
  /** Interface, part of the method after `enable`, and of the record before `Config`: `RateLimiting`. */
  readonly Feature: string;
  /** Header field of the example: `X-Rate-Limiting`. */
  readonly Header: string;
}

/** The package cannot be created; the message has the reason and the remedy. */
export class NewPackageError extends Error {
  override readonly name = "NewPackageError";
}

const genericNames = ["base", "common", "helper", "helpers", "misc", "shared", "util", "utils"];

/**
 * Derives every spelling from the name of the package, and from its method where it differs: `cache` with `enableCaching`.
 *
 * @throws NewPackageError for a name that is not in kebab-case, or a method that is not `enable` and a word
 */
export const deriveNames = (name: string, method: string = `enable${pascal(name)}`): Names => {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40) {
    throw new NewPackageError(
      `"${name}" is not a package name: use one or two words in kebab-case, such as rate-limit`,
    );
  }
  if (genericNames.includes(name)) {
    throw new NewPackageError(`"${name}" is too generic; name the package after its subject`);
  }
  const [, Feature] = /^enable([A-Z][A-Za-z0-9]{0,39})$/.exec(method) ?? [];
  if (Feature === undefined) {
    throw new NewPackageError(
      `"${method}" is not a feature method: use enable and a word, such as enableCaching`,
    );
  }
  const feature = Feature.charAt(0).toLowerCase() + Feature.slice(1);
  if (isReserved(feature)) {
    throw new NewPackageError(`"${feature}" is a reserved word: pass another with --feature enableX`);
  }
  const words = Feature.split(/(?=[A-Z])/);
  return { name, file: words.join("-").toLowerCase(), feature, Feature, Header: `X-${words.join("-")}` };
};

const pascal = (name: string): string =>
  name
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

const reserved =
  `await break case catch class const continue debugger default delete do else enum eval export extends false finally for function
  if implements import in instanceof interface let new null package private protected public return static super switch this throw true try
  typeof undefined var void while with yield arguments app App`.split(/\s+/);

const isReserved = (word: string): boolean => reserved.includes(word);
