#!/usr/bin/env node
import "../dist/client/main.js";
