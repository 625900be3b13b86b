import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import graphql from "highlight.js/lib/languages/graphql";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import protobuf from "highlight.js/lib/languages/protobuf";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";

const languages = {
  bash,
  dockerfile,
  graphql,
  http,
  ini,
  java,
  json,
  protobuf,
  python,
  sql,
  typescript,
  yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

const aliases: Readonly<Record<string, string>> = {
  ts: "typescript",
  js: "typescript",
  sh: "bash",
  proto: "protobuf",
};

/** Returns the HTML of a piece of code, with classes for its tokens; empty for an unknown language. */
export const highlight = (code: string, name: string): string => {
  const language = aliases[name] ?? name;
  return hljs.getLanguage(language) === undefined ? "" : hljs.highlight(code, { language }).value;
};
