import { App, type Guard, type HttpRequest } from "@framework/core";
import {
  anyOf,
  ApiKeyAuth,
  ApiKeyName,
  Authenticated,
  AuthenticatedGuard,
  type Authentication,
  BasicAuth,
  type Claims,
  JwtAuth,
  JwtClaims,
  JwtConfig,
  Permission,
  PermissionGuard,
  Role,
  RoleGuard,
  type TokenPair,
  type TokenStore,
  User,
} from "./index.ts";

const jwt: JwtAuth = new JwtAuth({ secret: "x" }).skipPath("/login").skipPath("/health");
new JwtAuth(JwtConfig.of({ secret: new Uint8Array(32), algorithm: "HS512", expiration: 60 }));
const either: Authentication = anyOf(
  jwt,
  new BasicAuth((name, password) => name === password),
  new ApiKeyAuth({ k: "n" }, "X-Key"),
);
new App()
  .use(jwt)
  .use(either)
  .addGuard(new AuthenticatedGuard())
  .get("/", () => "in");

export const guards: readonly Guard[] = [
  new Authenticated("account"),
  new Role("admin"),
  new RoleGuard(["a", "b"], {
    requireAll: true,
    roleKey: "groups",
    resolve: async (principal) => [String(principal)],
  }),
  new Permission("read write"),
  new PermissionGuard(["p"], { permKey: "can", resolve: () => null }),
];

declare const request: HttpRequest;
export const claims: Claims | undefined = request.context.get(JwtClaims);
export const names: readonly (string | undefined)[] = [
  request.context.get(User),
  request.context.get(ApiKeyName),
  claims?.sub,
];
// @ts-expect-error without a guard there may be no token
export const proved: Claims = request.context.get(JwtClaims);

export const token: Promise<string> = jwt.createToken({ sub: "ann", roles: ["a"] });
export const pair: Promise<TokenPair> = jwt.refreshToken("text", ({ sub }) => ({ sub }));
void jwt.refreshToken("text", (old) => ({ ...old, roles: ["b"] }));
// @ts-expect-error the times and ids of the old token are not passed on
void jwt.refreshToken("text", ({ sub, exp }) => ({ sub, until: exp.toFixed() }));
// @ts-expect-error an update returns the claims
void jwt.refreshToken("text", () => {});
// @ts-expect-error a token needs a subject
void jwt.createToken({ roles: ["a"] });
// @ts-expect-error the expiry comes from the configuration
void jwt.createToken({ sub: "ann", exp: 1 });
// @ts-expect-error an unknown algorithm
new JwtAuth({ secret: "x", algorithm: "none" });
// @ts-expect-error a misspelt option is found by the compiler
new JwtAuth({ secret: "x", expires: 60 });
// @ts-expect-error verify returns a boolean
new BasicAuth((name) => name);
// @ts-expect-error a key has a name
new ApiKeyAuth(["key"]);
// @ts-expect-error permissions have their own option
new PermissionGuard("p", { roleKey: "can" });
// @ts-expect-error a class is not a guard, its instances are
export const unmade: Guard = AuthenticatedGuard;
// @ts-expect-error a store needs consume
export const store: TokenStore = { revoke: () => {}, isRevoked: () => false };
// @ts-expect-error claims are read-only
if (claims !== undefined) claims.sub = "root";
