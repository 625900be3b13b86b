/** Code that is appended to every generated module: types of operations, and a client that needs only `fetch`. */
export const CLIENT_RUNTIME = `/** An operation with the types of its data and variables. */
export interface Operation<Data, Variables> {
  readonly name: string;
  readonly id: string;
  readonly text: string;
  /** Holds the types; never set at run time. */
  readonly types?: (variables: Variables) => Data;
}

/** The result of an operation. */
export interface Result<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly extensions?: Readonly<Record<string, unknown>>;
  }[];
}

/** Options of a client. */
export interface ClientOptions {
  /** Header fields of every request; names are case-insensitive, and \`content-type\` is always JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether to send ids instead of texts; the service must be configured with the \`documents\` of this module. @default false */
  readonly trusted?: boolean;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Creates a function that executes queries and mutations; it rejects if there is no reply, or one that is no result, such as a 401. */
export const createClient =
  (url: string, { headers = {}, trusted = false, fetch = globalThis.fetch }: ClientOptions = {}) =>
  async <Data, Variables>(
    { id, name, text }: Operation<Data, Variables>,
    ...[variables]: Record<never, never> extends Variables ? [variables?: Variables] : [variables: Variables]
  ): Promise<Result<Data>> => {
    const reply = await fetch(url, {
      method: "POST",
      headers: {
        accept: "application/graphql-response+json, application/json",
        ...Object.fromEntries(Object.entries(headers).map(([field, value]) => [field.toLowerCase(), value])), // fetch joins values of names that differ in case
        "content-type": "application/json",
      },
      body: JSON.stringify({ ...(trusted ? { documentId: id } : { query: text }), operationName: name, variables }),
    });
    const result = (await reply.json()) as Result<Data> | null;
    if (result?.data !== undefined || result?.errors !== undefined) return result;
    throw new globalThis.Error(\`the endpoint responded with \${reply.status}, and not with a result\`);
  };
`;
