import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import {
  anyOf,
  ApiKeyAuth,
  type AuthAlternative,
  type Authentication,
  AuthenticatedGuard,
  BasicAuth,
  JwtAuth,
  PermissionGuard,
  RoleGuard,
} from "./index.ts";

/** Casts a value that only programs without types can pass. */
const invalid = (value: unknown): never => value as never;
const secret = "0123456789abcdef0123456789abcdef";
const verify = (): boolean => true;

test.each<[string, () => Authentication, string, string]>([
  ["no configuration", () => new JwtAuth(invalid(undefined)), "AUTH_NO_KEY", "JwtConfig.secret is missing"],
  [
    "null as configuration",
    () => new JwtAuth(invalid(null)),
    "CORE_BAD_CONFIG",
    "JwtConfig must be an object with fields",
  ],
  [
    "a secret in place of a configuration",
    () => new JwtAuth(invalid(secret)),
    "CORE_BAD_CONFIG",
    "but is another value",
  ],
  [
    "null as options of JwtAuth",
    () => new JwtAuth({ secret }, invalid(null)),
    "CORE_BAD_CONFIG",
    "JwtAuthOptions must be",
  ],
  [
    "a keyId that its own tokens could not have",
    () => new JwtAuth({ secret, keyId: "k".repeat(257) }),
    "CORE_BAD_CONFIG",
    "keyId must be 1 to 256 characters",
  ],
  [
    "an invalid clock",
    () => new JwtAuth({ secret }, { clock: invalid({}) }),
    "CORE_BAD_CONFIG",
    "clock must be a clock",
  ],
  [
    "null as options of BasicAuth",
    () => new BasicAuth(verify, invalid(null)),
    "CORE_BAD_CONFIG",
    "BasicAuthOptions must be",
  ],
  [
    "a number as options",
    () => new BasicAuth(verify, invalid(5)),
    "CORE_BAD_CONFIG",
    "BasicAuthOptions must be",
  ],
  [
    "an unknown option",
    () => new BasicAuth(verify, invalid({ realm: "x" })),
    "CORE_BAD_CONFIG",
    'BasicAuthOptions has no field "realm"',
  ],
  [
    "an option of another type",
    () => new BasicAuth(verify, { allowEmptyName: invalid(1) }),
    "CORE_BAD_CONFIG",
    "BasicAuthOptions.allowEmptyName must be true, false or the name",
  ],
  [
    "an empty name for callers without a name",
    () => new BasicAuth(verify, { allowEmptyName: "" }),
    "CORE_BAD_CONFIG",
    "BasicAuthOptions.allowEmptyName must be true, false or the name",
  ],
  [
    "null as field name of ApiKeyAuth",
    () => new ApiKeyAuth({ k: "a" }, invalid(null)),
    "AUTH_BAD_API_KEY",
    "the second argument of ApiKeyAuth must be the name of a field",
  ],
  [
    "options in place of a field name",
    () => anyOf(new ApiKeyAuth({ k: "a" }, invalid({ header: "X-Key" }))),
    "AUTH_BAD_API_KEY",
    "the second argument of ApiKeyAuth must be the name of a field",
  ],
])("an authentication with %s is reported at start", async (_name, create, code, message) => {
  const error: unknown = await new App()
    .use(create())
    .start()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "ConfigurationError", code });
  expect(String(error)).toContain(message);
  expect(String(error)).not.toContain(secret);
});

test.each<[string, () => unknown, string, string]>([
  [
    "a misspelt option",
    () => new RoleGuard("a", invalid({ requireall: true })),
    "CORE_BAD_CONFIG",
    'RoleGuardOptions has no field "requireall"; did you mean "requireAll"?',
  ],
  [
    "the option of another guard",
    () => new PermissionGuard("a", invalid({ roleKey: "x" })),
    "CORE_BAD_CONFIG",
    "roleKey",
  ],
  [
    "a resolve that is not a function",
    () => new RoleGuard("a", { resolve: invalid(5) }),
    "CORE_BAD_CONFIG",
    "resolve",
  ],
  [
    "a key that is not a string",
    () => new PermissionGuard("a", { permKey: invalid(5) }),
    "CORE_BAD_CONFIG",
    "permKey",
  ],
  [
    "a string in place of options",
    () => new RoleGuard("a", invalid("b")),
    "CORE_BAD_CONFIG",
    "RoleGuardOptions",
  ],
  [
    "null in place of options",
    () => new RoleGuard("a", invalid(null)),
    "CORE_BAD_CONFIG",
    "RoleGuardOptions",
  ],
  ["a name that is not a string", () => new RoleGuard(["a", invalid(5)]), "AUTH_GUARD_EMPTY", "every name"],
  [
    "a user key that is not a string",
    () => new AuthenticatedGuard(invalid(null)),
    "CORE_BAD_CONFIG",
    "userKey",
  ],
  [
    "a class in place of an authentication",
    () => anyOf(invalid(JwtAuth)),
    "CORE_BAD_ARGUMENT",
    "anyOf takes authentications",
  ],
  [
    "a list in place of arguments",
    () => anyOf(invalid([new JwtAuth({ secret })]) as AuthAlternative),
    "CORE_BAD_ARGUMENT",
    "anyOf takes authentications",
  ],
])("a constructor refuses %s", (_name, create, code, message) => {
  const failed = (): unknown => {
    try {
      return create();
    } catch (error) {
      return error;
    }
  };
  const error = failed();
  expect(error).toMatchObject({ code });
  expect(String(error)).toContain(message);
});
