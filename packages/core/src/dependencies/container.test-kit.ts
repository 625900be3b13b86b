import { createInvocation, type Invocation } from "../invocation/invocation.ts";
import { Container } from "./container.ts";
import { dependency, type Token } from "./token.ts";

export const invocation: Invocation = createInvocation({ kind: "message", name: "books.added" });

/** A container, and what it has logged. */
export const container = (): { readonly container: Container; readonly logged: readonly unknown[] } => {
  const made = new Container();
  const logged: unknown[] = [];
  made.log = { error: (message, fields) => logged.push([message, fields]) };
  return { container: made, logged };
};

/** A dependency that counts its creations and records its disposals. */
export const recorded = (
  ends: string[],
  name: string,
  scope: "singleton" | "invocation" | "transient",
): Token<string> => {
  let made = 0;
  return dependency(name, {
    scope,
    create: () => `${name} ${++made}`,
    dispose: (value) => void ends.push(value),
  });
};
