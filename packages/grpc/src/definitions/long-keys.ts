import type protobuf from "protobufjs";
import { protobufjs } from "../libraries.ts";

type Members = Record<string, unknown>;

/** Whether the integers of each 64-bit type are unsigned. */
const longTypes: ReadonlyMap<string, boolean> = new Map([
  ["int64", false],
  ["sint64", false],
  ["sfixed64", false],
  ["uint64", true],
  ["fixed64", true],
]);

/** Characters of a key as protobufjs returns it: one for each byte of the integer. */
const KEY_LENGTH = 8;

/** Returns a function that replaces the 64-bit keys of maps in a received message with their digits: protobufjs returns their bytes. */
export const restoreLongKeys = (type: protobuf.Type): ((message: object) => object) => {
  if (!hasLongKeys(type, new Set())) return (message) => message;
  return (message) => {
    restoreIn(type, message as Members);
    return message;
  };
};

/** Whether messages of a type can contain maps with 64-bit keys. @param seen the types that were already visited */
const hasLongKeys = (type: protobuf.Type, seen: Set<protobuf.Type>): boolean => {
  if (seen.has(type)) return false;
  seen.add(type);
  return type.fieldsArray.some((field) => {
    const inner = messageType(field);
    return longKeyOf(field) !== null || (inner !== null && hasLongKeys(inner, seen));
  });
};

const restoreIn = (type: protobuf.Type, message: Members): void => {
  for (const field of type.fieldsArray) {
    const value = Object.hasOwn(message, field.name) ? message[field.name] : null;
    if (typeof value !== "object" || value === null) continue;
    const inner = messageType(field);
    if (inner !== null) for (const each of messagesOf(field, value)) restoreIn(inner, each as Members);
    const longKey = longKeyOf(field);
    if (longKey !== null) message[field.name] = withDigits(value, longKey.isUnsigned);
  }
};

/** Returns the messages in a field; maps and lists have any number of them. */
const messagesOf = (field: protobuf.Field, value: object): readonly unknown[] =>
  field.repeated || field instanceof protobufjs().MapField ? Object.values(value) : [value];

const withDigits = (map: object, isUnsigned: boolean): Members =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [digitsOf(key, isUnsigned), value]));

/** An entry without a key has the key 0, which protobufjs returns as a number. */
const digitsOf = (key: string, isUnsigned: boolean): string => {
  if (key.length !== KEY_LENGTH) return key;
  const bytes = Buffer.from(key, "latin1");
  return String(isUnsigned ? bytes.readBigUInt64LE() : bytes.readBigInt64LE());
};

/** Returns the type of a map's 64-bit keys; `null` for other fields. */
const longKeyOf = (field: protobuf.Field): { readonly isUnsigned: boolean } | null => {
  const isUnsigned = field instanceof protobufjs().MapField ? longTypes.get(field.keyType) : undefined;
  return isUnsigned === undefined ? null : { isUnsigned };
};

const messageType = (field: protobuf.Field): protobuf.Type | null => {
  const { resolvedType } = field.resolve();
  return resolvedType instanceof protobufjs().Type ? resolvedType : null;
};
