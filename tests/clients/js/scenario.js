// Runs what a module of scenarios does to a server and prints, by name, what each gave or how it failed.
'use strict';

const jsforce = require('jsforce');

const { URL_OF_SERVER: url, SF_USERNAME: username, SF_PASSWORD: password, SF_TOKEN: accessToken } = process.env;

const server = {
  jsforce,
  username,
  password,
  /** A connection that has yet to log in. */
  fresh: (options = {}) => new jsforce.Connection({ loginUrl: url, ...options }),
  /** A connection with a token. */
  withToken: (options = {}) => new jsforce.Connection({ instanceUrl: url, accessToken, ...options }),
  /** A connection that has logged in. */
  async loggedIn() {
    const connection = server.fresh();
    await connection.login(username, password);
    return connection;
  },
};

async function outcome(scenario) {
  try {
    return { value: (await scenario(server)) ?? null };
  } catch (error) {
    return { error: { name: error.name, errorCode: error.errorCode, message: error.message } };
  }
}

async function main() {
  const outcomes = {};
  for (const [name, scenario] of Object.entries(require(process.argv[2]))) {
    outcomes[name] = await outcome(scenario);
  }
  process.stdout.write(JSON.stringify(outcomes), () => process.exit(0));
}

main();
