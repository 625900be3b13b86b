import { App, Blueprint, type HttpRequest } from "../index.ts";
import type { PathParams } from "./path-params.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const expectTrue = <T extends true>(): T[] => [];

expectTrue<Equal<PathParams<"/books/{id}">, { readonly id: string }>>();
expectTrue<Equal<PathParams<"/orgs/{org}/users/{id}">, { readonly org: string; readonly id: string }>>();
expectTrue<Equal<PathParams<"/files/{*rest}">, { readonly rest: string }>>();
expectTrue<Equal<PathParams<"/{bucket}/{*key}">, { readonly bucket: string; readonly key: string }>>();
expectTrue<Equal<PathParams<"/books">, {}>>();
expectTrue<Equal<PathParams<string>, Readonly<Record<string, string>>>>();

const withPrefix = <Prefix extends string, Path extends string>(
  _prefix: Prefix,
  _path: Path,
  read: (params: PathParams<`${Prefix}${Path}`>) => unknown,
): unknown => read;

withPrefix("/orgs/{org}", "/users/{id}", ({ org, id }) => org + id);
withPrefix("/orgs/{org}", "", ({ org }) => org);
withPrefix("", "/books", (params) => {
  // @ts-expect-error a path without parameters has none
  return params.foo;
});
withPrefix("", "/books/{id}", (params) => {
  // @ts-expect-error a misspelt name
  return params.ID;
});
withPrefix("", "/books/{id}", (params) => {
  // @ts-expect-error parameters are strings
  const id: number = params.id;
  return id;
});
withPrefix("", "/books/{id}", (params) => {
  // @ts-expect-error parameters are read-only
  params.id = "2";
});
withPrefix("", "/files/{*rest}", (params) => {
  // @ts-expect-error the star is not part of the name
  return params["*rest"];
});
declare const anyPath: string;
withPrefix("", anyPath, (params) => params["whatever"]?.length);
withPrefix("", anyPath, (params) => {
  // @ts-expect-error the parameter names of a path of type string are unknown
  return params["whatever"].length;
});

expectTrue<Equal<PathParams<`${string}/books`>, Readonly<Record<string, string>>>>();
expectTrue<Equal<PathParams<`${string}/{id}`>, { readonly id: string } & Readonly<Record<string, string>>>>();
expectTrue<
  Equal<PathParams<`/orgs/{org}${string}`>, { readonly org: string } & Readonly<Record<string, string>>>
>();
expectTrue<Equal<PathParams<"{id}/books">, { readonly id: string }>>();

// A blueprint with a prefix of type string, and a path of type string below a prefix with names
declare const anywhere: Blueprint;
const orgs = new Blueprint("/orgs/{org}");
anywhere.get("/books", ({ params }) => params["org"]?.length);
anywhere.get("/{id}", ({ params }) => params.id.length + (params["org"]?.length ?? 0));
orgs.get(anyPath, ({ params }) => params.org.length + (params["id"]?.length ?? 0));
// @ts-expect-error the names of the prefix are unknown
anywhere.get("/{id}", ({ params }) => params["org"].length);
// @ts-expect-error a misspelt name below a known prefix
orgs.get("/{id}", ({ params }) => params.ID);
export const blueprints: readonly Blueprint[] = [anywhere, orgs, new Blueprint("/a")];

// Functions that are generic over a path
export const wrapped = <const P extends string>(
  path: P,
  handler: (request: HttpRequest<PathParams<P>>) => unknown,
  read: (params: PathParams<P>) => unknown,
): void => {
  const app = new App();
  app.get(path, handler);
  app.get(path, { tags: [] }, handler);
  app.route(path, { methods: ["GET"] }, (request) => read(request.params));
};
export const inOrganization = <const P extends string>(
  path: P,
  read: (params: PathParams<`/orgs/{org}${P}`>) => unknown,
): void => {
  new Blueprint("/orgs/{org}").get(path, ({ params }) => read(params));
};
