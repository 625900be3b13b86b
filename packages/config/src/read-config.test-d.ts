import { z } from "zod";
import {
  checked,
  flag,
  integer,
  list,
  oneOf,
  optional,
  readConfig,
  type Secret,
  secret,
  text,
} from "./index.ts";

const config = readConfig(
  {
    port: integer("PORT", { default: 8000 }),
    level: oneOf("LEVEL", ["debug", "info"], { default: "info" }),
    nested: { token: secret("TOKEN"), name: optional(text("NAME")) },
    hosts: list("HOSTS"),
    debug: flag("DEBUG"),
    day: checked(
      "DAY",
      z.string().transform((value) => new Date(value)),
    ),
  },
  { checks: [({ nested: { name } }) => (name === undefined ? "set NAME" : null)] },
);

export const port: number = config.port;
export const level: "debug" | "info" = config.level;
export const token: Secret = config.nested.token;
export const name: string | undefined = config.nested.name;
export const hosts: readonly string[] = config.hosts;
export const debug: boolean = config.debug;
export const day: Date = config.day;

// @ts-expect-error the record is read-only
config.port = 1;

// @ts-expect-error an optional value may be undefined
export const sure: string = config.nested.name;

// @ts-expect-error a secret is not a string
export const plain: string = config.nested.token;

// @ts-expect-error the default is one of the words
oneOf("LEVEL", ["debug", "info"], { default: "loud" });

// @ts-expect-error a secret has no default
secret("TOKEN", { default: "hunter2" });

// @ts-expect-error a field of a shape is a setting or a record of settings
readConfig({ port: 8000 });
