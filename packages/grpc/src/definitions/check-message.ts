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
 * The check of a type is built once. It returns values unchanged, except dates, which become timestamps.
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
    const check = specialChecks.get(type.fullName)?.(message) ?? message;
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
    if (checked !== member) (changed ??= hidesMembers ? ownMembers(value) : { ...value })[name] = checked;
  }
  for (const names of choices) checkChoice(names, value, within, key);
  return changed ?? value;
};

/** Returns a copy without a prototype: protobufjs would otherwise send an inherited member in the place of an absent field. */
const ownMembers = (value: Members): Record<string, unknown> =>
  Object.assign(Object.create(null) as Record<string, unknown>, value);

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
      checkKey(name, place, name);
      const checked = check(item, place, name);
      isChanged ||= !Object.is(checked, item);
      return [name, checked];
    });
    return isChanged ? Object.fromEntries(entries) : value;
  };

/** Accepts names of the enum, and any 32-bit integer, because enums of proto3 are open. */
const checkEnum = ({ values }: protobuf.Enum): CheckValue =>
  checkBy(
    (value) => (typeof value === "string" ? Object.hasOwn(values, value) : isInt32(value)),
    `one of ${Object.keys(values).slice(0, 20).join(", ")}`,
  );

/** Messages that also accept values other than objects with their fields. */
const specialChecks: ReadonlyMap<string, (message: CheckValue) => CheckValue> = new Map([
  [
    ".google.protobuf.Timestamp",
    (message: CheckValue): CheckValue =>
      (value, within, key) =>
        value instanceof Date ? timestampOf(value, within, key) : message(value, within, key),
  ],
  [
    ".google.protobuf.Any", // protobufjs packs the message that `@type` names
    (message: CheckValue): CheckValue =>
      (value, within, key) =>
        isRecord(value) && typeof value["@type"] === "string" ? value : message(value, within, key),
  ],
]);

const timestampOf = (date: Date, within: Place | null, key: string | number): Members => {
  const ms = date.getTime();
  if (Number.isNaN(ms)) return refuse("a valid date", within, key);
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: (ms - seconds * 1000) * 1_000_000 };
};
