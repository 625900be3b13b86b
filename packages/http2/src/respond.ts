import type { ServerHttp2Stream } from "node:http2";

/** Sends the head of a reply: `:status`, then name, value, name, value … in lower case. @param isEmpty whether no body follows */
export type RespondTo = (stream: ServerHttp2Stream, fields: string[], isEmpty: boolean) => void;

const endOfStream = Object.freeze({ endStream: true });

const withList: RespondTo = (stream, fields, isEmpty) => {
  if (isEmpty) stream.respond(fields, endOfStream);
  else stream.respond(fields);
};

/** For Node before 24.7, whose `respond` accepts no list. */
const withObject: RespondTo = (stream, fields, isEmpty) => {
  const byName = groupByName(fields);
  if (isEmpty) stream.respond(byName, endOfStream);
  else stream.respond(byName);
};

/** Returns the function that sends heads on a version of Node. @param version such as `24.7.0` */
export const respondOf = (version: string): RespondTo => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 24 || (major === 24 && minor >= 7) ? withList : withObject;
};

/** Groups fields by name, as `respond` expects them in an object: a single value is a string, which `:status` must be. */
export const groupByName = (fields: readonly string[]): Record<string, string | string[]> => {
  const byName = Object.create(null) as Record<string, string | string[]>; // a field may be named `constructor`
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = (fields[at] ?? "").toLowerCase();
    const value = fields[at + 1] ?? "";
    const others = byName[name];
    if (others === undefined) byName[name] = value;
    else if (typeof others === "string") byName[name] = [others, value];
    else others.push(value);
  }
  return byName;
};
