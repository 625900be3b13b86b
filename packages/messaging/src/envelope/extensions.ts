/** Prefix of headers with extension attributes in a `Message`, on every broker. */
export const EXTENSION = "ce_";

/** Members and attributes of an event that are not extensions. */
const ownNames: ReadonlySet<string> = new Set([
  "specversion",
  "id",
  "type",
  "source",
  "subject",
  "time",
  "partitionkey",
  "data",
  "datacontenttype",
]);

/** Whether a header is an extension attribute that an event can have: `ce_` and 1 to 100 lower-case letters and digits. */
export const isExtension = (header: string): boolean =>
  header.startsWith(EXTENSION) &&
  /^[a-z\d]{1,100}$/.test(header.slice(EXTENSION.length)) &&
  !ownNames.has(header.slice(EXTENSION.length));
