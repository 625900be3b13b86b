import { buildSchema, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from "graphql";
import { resolvers, SCHEMA } from "./library.ts";

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/** Creates the schema with its resolvers, for servers that take an executable schema. */
export const createSchema = (): GraphQLSchema => {
  const schema = buildSchema(SCHEMA);
  for (const [name, fields] of Object.entries(resolvers)) {
    const type = schema.getType(name);
    if (!isObjectType(type)) throw new Error(`the schema has no type ${name}`);
    for (const [key, resolve] of Object.entries(fields)) {
      const field = type.getFields()[key];
      if (field === undefined) throw new Error(`the type ${name} has no field ${key}`);
      field.resolve = resolve as Resolver; // the arguments match the schema
    }
  }
  return schema;
};
