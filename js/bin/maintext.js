#!/usr/bin/env node
// The command of the npm package: fetches or reads pages and writes their main content.
import { main } from "../src/command.js";

process.exitCode = await main(process.argv.slice(2));
