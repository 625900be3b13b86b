import { type DocumentNode, extendSchema, GraphQLSchema, Kind } from "graphql";

/** An extension that adds nothing: the library copies every type of a schema that it extends. */
const emptyExtension: DocumentNode = { kind: Kind.DOCUMENT, definitions: [{ kind: Kind.SCHEMA_EXTENSION }] };

/** Copies a schema with its types: resolvers and guards of one app must not affect another app or the original. */
export const copySchema = (schema: GraphQLSchema): GraphQLSchema => {
  const copy = extendSchema(schema, emptyExtension, { assumeValidSDL: true });
  const { description, extensions, extensionASTNodes } = schema; // graphql 16 drops the first two
  return new GraphQLSchema({ ...copy.toConfig(), description, extensions, extensionASTNodes });
};
