import { createInvocation, type Invocation } from "../invocation/invocation.ts";
import { Container } from "./container.ts";
import { dependency, type Token } from "./token.ts";

export const invocation: Invocation = createInvocation({ kind: "message", name: "books.added" });

/** Creates a container, and collects its log entries. */
export const newContainer = (): { readonly container: Container; readonly logged: readonly unknown[] } => {
  const created = new Container();
  const logged: unknown[] = [];
  created.log = { error: (message, fields) => logged.push([message, fields]) };
  return { container: created, logged };
};

/** Creates a dependency that counts its creations and records its disposals. */
export const recordingDependency = (
  ends: string[],
  name: string,
  scope: "singleton" | "invocation" | "transient",
): Token<string> => {
  let created = 0;
  return dependency(name, {
    scope,
    create: () => `${name} ${++created}`,
    dispose: (value) => void ends.push(value),
  });
};
