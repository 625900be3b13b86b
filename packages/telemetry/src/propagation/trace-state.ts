import type { TraceState } from "@opentelemetry/api";

const MAX_MEMBERS = 32;
const KEY = /^[a-z\d][a-z\d_\-*/@]{0,255}$/;
const VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

type Members = readonly (readonly [key: string, value: string])[];

/**
 * Parses a `tracestate` field (W3C Trace Context level 2, 3.3); `null` for an invalid or empty field.
 *
 * Members keep their order. Empty members are allowed; the first of duplicate keys is used; more than 32 members make the field invalid.
 */
export const parseTraceState = (field: string): TraceState | null => {
  const members: (readonly [string, string])[] = [];
  const keys = new Set<string>();
  for (const part of field.split(",", maxParts)) {
    const member = part.replace(/^[ \t]+|[ \t]+$/g, "");
    if (member === "") continue;
    const at = member.indexOf("=");
    const [key, value] = [member.slice(0, at), member.slice(at + 1)];
    if (at < 1 || !KEY.test(key) || !VALUE.test(value)) return null;
    if (keys.has(key)) continue;
    keys.add(key);
    members.push([key, value]);
    if (members.length > MAX_MEMBERS) return null;
  }
  return members.length === 0 ? null : traceState(members);
};

/** Maximum number of parts that are read, because a field can have any number of empty members. */
const maxParts = 2 * MAX_MEMBERS + 1;

const traceState = (members: Members): TraceState => ({
  get: (key) => members.find(([name]) => name === key)?.[1],
  set: (key, value) => {
    if (!KEY.test(key) || !VALUE.test(value)) return traceState(members);
    const others = members.filter(([name]) => name !== key);
    return traceState([[key, value] as const, ...others].slice(0, MAX_MEMBERS));
  },
  unset: (key) => traceState(members.filter(([name]) => name !== key)),
  serialize: () => members.map(([key, value]) => `${key}=${value}`).join(","),
});
