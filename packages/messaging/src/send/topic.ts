import type { InferInput, StandardSchema } from "@framework/core";
import type { Schemas } from "../message/message.ts";
import { MAX_TOPIC_BYTES } from "../limits.ts";
import type { NewMessage } from "./new-message.ts";
import { badMessage, isPrintable } from "./to-event.ts";

/** A topic and its message types, shared by senders and handlers. */
export interface Topic<S extends Schemas = Schemas> {
  /** Name at the broker. */
  readonly name: string;
  /** Schemas of the data by type. */
  readonly schemas: S;
  /** Description for the API document. */
  readonly description: string | null;
}

/**
 * Defines a topic with its messages.
 *
 * @example
 * const books = topic("books", { "book.created": z.object({ id: z.string(), title: z.string() }) });
 * await app.messaging.send(books, { type: "book.created", key: "7", data: { id: "7", title: "Emma" } });
 * app.messaging.subscribe(books, { group: "search" }, async ({ data }) => index(data));
 */
export const topic = <const S extends Schemas>(
  name: string,
  schemas: S,
  { description = null }: { readonly description?: string | null } = {},
): Topic<S> => Object.freeze({ name, schemas: Object.freeze({ ...schemas }), description });

/** The messages that may be sent to a topic. */
export type MessageTo<T> =
  T extends Topic<infer S>
    ? {
        [Type in keyof S & string]: Omit<NewMessage, "type" | "data"> & {
          readonly type: Type;
          readonly data: InferInput<S[Type]>;
        };
      }[keyof S & string]
    : NewMessage;

/** The schemas of a subscription: its option `schema`, else the schemas of its topic. */
export type SchemaTo<T, S> = S extends undefined ? (T extends Topic<infer Own> ? Own : S) : S;

/** Whether a value is a topic name whose length and characters every broker accepts. */
export const isTopicName = (name: unknown): boolean =>
  typeof name === "string" && name !== "" && Buffer.byteLength(name) <= MAX_TOPIC_BYTES && isPrintable(name);

/** Rule of `isTopicName`, for error messages. */
export const topicNameRule: string = `1 to ${MAX_TOPIC_BYTES} bytes without control characters`;

/** Whether a value is a `Topic`. */
export const isTopic = (value: unknown): value is Topic =>
  typeof value === "object" && value !== null && "name" in value && "schemas" in value;

/** Returns the name of a topic. @throws MESSAGING_BAD_MESSAGE if it is neither a string nor a `Topic`, in an untyped program */
export const topicNameOf = (topic: string | Topic): string => {
  if (typeof topic === "string") return topic;
  if (isTopic(topic)) return topic.name;
  throw badMessage("its topic must be a name or a Topic");
};

/** Returns the schema of a type; `undefined` for an unknown one. */
export const schemaOf = ({ schemas }: Topic, type: string): StandardSchema | undefined =>
  Object.hasOwn(schemas, type) ? schemas[type] : undefined;
