/**
 * Returns the name of a field in the style of `.proto` files: `published_year` for `publishedYear`, which stays the JSON name. Names that are not camelCase are
 * unchanged.
 */
export const protoFieldName = (name: string): string =>
  /^[a-z][A-Za-z0-9]*$/.test(name) ? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name;

/** Returns the name of a message for a field or method: `author` becomes `Author`, `first_name` becomes `FirstName`. */
export const messageName = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()).replaceAll("_", "");
