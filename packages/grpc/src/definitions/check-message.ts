import type protobuf from "protobufjs";
import { protobufjs } from "../libraries.ts";
import { isRecord } from "../schema/is-record.ts";
import {
  checkBy,
  type CheckValue,
  isInt32,
  keyChecks,
  type Place,
  refuse,
  scalarChecks,
} from "./check-scalar.ts";

type Members = Readonly<Record<string, unknown>>;

/** Maximum nesting of messages, as in protobufjs. */
const MAX_DEPTH = 100;

interface FieldCheck {
  readonly name: string;
  readonly check: CheckValue;
}

/** Checks of a message's fields, built on first use, because messages may contain themselves. */
interface FieldChecks {
  readonly fields: readonly FieldCheck[];
  /** The fields of each `oneof`. */
  readonly choices: readonly (readonly string[])[];
  /** Whether a field has the name of a member of every object, such as `constructor`. */
  readonly hidesMembers: boolean;
}

/**
 * Checks messages before protobufjs converts them: protobufjs would send a value of the wrong type as 0, as the first value of an enum, or empty.
 *
 * The check of a type is built once. It returns values unchanged, except dates, which become timestamps, and values that protobufjs would send wrongly.
 */
export class MessageChecks {
  private readonly checks = new Map<protobuf.Type, CheckValue>();

  /** Returns the check of a message. */
  of(type: protobuf.Type): CheckValue {
    const present = this.checks.get(type);
    if (present !== undefined) return present;
    let known: FieldChecks | null = null;
    const message: CheckValue = (value, within, key) =>
      checkMembers((known ??= this.fieldsOf(type)), value, within, key);
    const check = specialChecks.get(type.fullName)?.(message, type, this) ?? message;
    this.checks.set(type, check);
    return check;
  }

  private fieldsOf(type: protobuf.Type): FieldChecks {
    return {
      hidesMembers: type.fieldsArray.some(({ name }) => name in Object.prototype),
      fields: type.fieldsArray.map((field) => ({ name: field.name, check: this.ofField(field.resolve()) })),
      choices: type.oneofsArray.map(({ oneof }) => oneof).filter(({ length }) => length > 1),
    };
  }

  private ofField(field: protobuf.Field): CheckValue {
    const single = this.ofValue(field);
    if (field instanceof protobufjs().MapField)
      return checkMap(keyChecks.get(field.keyType) ?? acceptAny, single);
    return field.repeated ? checkList(single) : single;
  }

  private ofValue({ resolvedType, type }: protobuf.Field): CheckValue {
    if (resolvedType === null) return scalarChecks.get(type) ?? acceptAny;
    return resolvedType instanceof protobufjs().Enum ? checkEnum(resolvedType) : this.of(resolvedType);
  }
}

const acceptAny: CheckValue = (value) => value;

const checkMembers = (
  { fields, choices, hidesMembers }: FieldChecks,
  given: unknown,
  within: Place | null,
  key: string | number,
): Members => {
  if (!isRecord(given)) return refuse("an object", within, key);
  const value = hidesMembers ? ownMembers(given) : given;
  const depth = within === null ? 0 : within.depth + 1;
  if (depth > MAX_DEPTH) return refuse(`at most ${MAX_DEPTH} messages deep`, within, key);
  const place: Place = { within, key, depth };
  let changed: Record<string, unknown> | null = null;
  for (const { name, check } of fields) {
    const member = value[name];
    if (member === undefined || member === null) continue;
    const checked = check(member, place, name);
    if (checked !== member)
      (changed ??= hidesMembers ? ownMembers(value) : copyOf(value, fields))[name] = checked;
  }
  for (const names of choices) checkChoice(names, value, within, key);
  return changed ?? value;
};

/** Returns a copy without a prototype: protobufjs would otherwise send an inherited member in the place of an absent field. */
const ownMembers = (value: Members): Record<string, unknown> =>
  Object.assign(Object.create(null) as Record<string, unknown>, value);

/** Returns a copy that also has the fields that a class provides, such as by a getter: they are not own members. */
const copyOf = (value: Members, fields: readonly FieldCheck[]): Record<string, unknown> => {
  const copy: Record<string, unknown> = { ...value };
  for (const { name } of fields)
    if (!Object.hasOwn(copy, name) && value[name] !== undefined) copy[name] = value[name];
  return copy;
};

const checkChoice = (
  names: readonly string[],
  value: Members,
  within: Place | null,
  key: string | number,
): void => {
  let present: string | null = null;
  for (const name of names) {
    if (value[name] === undefined || value[name] === null) continue;
    if (present !== null)
      refuse(`an object with only one of ${present} and ${name}, which are a oneof`, within, key);
    present = name;
  }
};

const checkList =
  (check: CheckValue): CheckValue =>
  (value, within, key) => {
    if (!Array.isArray(value)) return refuse("a list", within, key);
    const place: Place = { within, key, depth: within?.depth ?? 0 };
    let changed: unknown[] | null = null;
    for (let at = 0; at < value.length; at++) {
      const checked = check(value[at], place, at);
      if (!Object.is(checked, value[at])) (changed ??= [...(value as readonly unknown[])])[at] = checked;
    }
    return changed ?? value;
  };

const checkMap =
  (checkKey: CheckValue, check: CheckValue): CheckValue =>
  (value, within, key) => {
    if (!isRecord(value)) return refuse("an object", within, key);
    const place: Place = { within, key, depth: within?.depth ?? 0 };
    let isChanged = false;
    const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
      const sent = checkKey(name, place, name) as string;
      const checked = check(item, place, name);
      isChanged ||= sent !== name || !Object.is(checked, item);
      return [sent, checked];
    });
    return isChanged ? Object.fromEntries(entries) : value;
  };

/** Accepts names of the enum, and any 32-bit integer, because enums of proto3 are open. */
const checkEnum = ({ values }: protobuf.Enum): CheckValue =>
  checkBy(
    (value) => (typeof value === "string" ? Object.hasOwn(values, value) : isInt32(value)),
    `one of ${Object.keys(values).slice(0, 20).join(", ")}`,
  );

/** Returns the check of a message that also accepts other values than objects with its fields. @param message the check of its fields */
type SpecialCheck = (message: CheckValue, type: protobuf.Type, checks: MessageChecks) => CheckValue;

const checkTimestamp: SpecialCheck = (message) => (value, within, key) =>
  value instanceof Date ? timestampOf(value, within, key) : message(value, within, key);

/** Checks the message that `@type` names, which protobufjs packs. It would send an unknown one empty. */
const checkAny: SpecialCheck = (message, any, checks) => (value, within, key) => {
  const name = isRecord(value) ? value["@type"] : undefined;
  if (typeof name !== "string") return message(value, within, key);
  const packed = any.lookup(name.slice(name.lastIndexOf("/") + 1));
  if (packed instanceof protobufjs().Type && packed !== any) return checks.of(packed)(value, within, key);
  const shown = JSON.stringify(name.slice(0, 100));
  return refuse(`an object whose @type is a message of the .proto, not ${shown}`, within, key);
};

const specialChecks: ReadonlyMap<string, SpecialCheck> = new Map([
  [".google.protobuf.Timestamp", checkTimestamp],
  [".google.protobuf.Any", checkAny],
]);

const timestampOf = (date: Date, within: Place | null, key: string | number): Members => {
  const ms = date.getTime();
  if (Number.isNaN(ms)) return refuse("a valid date", within, key);
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: (ms - seconds * 1000) * 1_000_000 };
};
