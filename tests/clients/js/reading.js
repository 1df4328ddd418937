'use strict';

const EVERYONE = 'SELECT Id, LastName FROM Contact ORDER BY Id';
const byOAuth = (fresh) =>
  fresh({ oauth2: { loginUrl: fresh().loginUrl, clientId: 'key', clientSecret: 'secret' } });
const ids = (records) => records.map((record) => record.Id);

module.exports = {
  async logsIn({ fresh, username, password }) {
    const connection = fresh();
    const user = await connection.login(username, password);
    return { user, instance: connection.instanceUrl, hasToken: Boolean(connection.accessToken) };
  },

  async logsInByOAuth({ fresh, username, password }) {
    const connection = byOAuth(fresh);
    await connection.login(username, password);
    return (await connection.query('SELECT COUNT() FROM Account')).totalSize;
  },

  async isRefusedALogin({ fresh, username }) {
    await fresh().login(username, 'guess');
  },

  async queries({ loggedIn }) {
    return (await loggedIn()).query("SELECT Id, Name, Owner.Name FROM Account WHERE Name = 'Acme'");
  },

  async queriesByToken({ withToken }) {
    return (await withToken({ version: '60.0' }).query('SELECT COUNT() FROM Account')).totalSize;
  },

  async readsOnePage({ withToken }) {
    const { totalSize, done, records, nextRecordsUrl } = await withToken().query(EVERYONE);
    const second = await withToken().queryMore(nextRecordsUrl);
    return { totalSize, done, first: records.length, second: second.records.length };
  },

  async fetchesEveryPage({ withToken }) {
    const { records } = await withToken().query(EVERYONE).execute({ autoFetch: true, maxFetch: 10_000 });
    return ids(records);
  },

  async streamsEveryPage({ withToken }) {
    const found = [];
    const query = withToken().query(EVERYONE);
    query.on('record', (record) => found.push(record.Id));
    await new Promise((resolve, reject) => {
      query.on('end', resolve);
      query.on('error', reject);
      query.run({ autoFetch: true, maxFetch: 10_000 });
    });
    return found.length;
  },

  async finds({ withToken }) {
    return withToken()
      .sobject('Account')
      .find({ Name: { $like: 'A%' }, AnnualRevenue: { $gte: 1_000 } }, ['Id', 'Name', 'CreatedDate'])
      .sort({ Name: 1 })
      .limit(5);
  },

  async findsChildren({ withToken }) {
    const accounts = await withToken()
      .sobject('Account')
      .select('Name')
      .include('Contacts')
      .select('Id')
      .limit(2)
      .end()
      .where({ Name: 'Acme' });
    return accounts.map(({ Name, Contacts }) => ({ Name, size: Contacts.records.length }));
  },

  async counts({ withToken }) {
    return withToken().sobject('Contact').count({ LastName: { $like: 'Lee 1%' } });
  },

  async searches({ withToken }) {
    return withToken().search('FIND {Globex} IN NAME FIELDS RETURNING Account(Id, Name)');
  },

  async describesTheOrg({ withToken }) {
    const { maxBatchSize, sobjects } = await withToken().describeGlobal();
    return { maxBatchSize, names: sobjects.map((sobject) => sobject.name) };
  },

  async describesAnObject({ withToken }) {
    const { name, fields } = await withToken().describe('Contact');
    return { name, account: fields.find((field) => field.name === 'AccountId').referenceTo };
  },

  async retrieves({ withToken }) {
    const connection = withToken();
    const [acme] = ids((await connection.query("SELECT Id FROM Account WHERE Name = 'Acme'")).records);
    return connection.sobject('Account').retrieve(acme);
  },

  async retrievesSeveral({ withToken }) {
    const connection = withToken();
    const found = ids((await connection.query('SELECT Id FROM Account ORDER BY Name')).records);
    return (await connection.sobject('Account').retrieve(found)).map((account) => account.Name);
  },

  async tellsWhoItIs({ loggedIn }) {
    return (await loggedIn()).identity();
  },

  async tellsItsLimits({ withToken }) {
    const connection = withToken();
    const limits = await connection.limits();
    return { max: limits.DailyApiRequests.Max, told: connection.limitInfo.apiUsage };
  },

  async explains({ withToken }) {
    return Object.keys(await withToken().query('SELECT Id FROM Account').explain());
  },

  async asksTheTooling({ withToken }) {
    const { records, totalSize, done } = await withToken().tooling.query('SELECT Id FROM ApexClass');
    return { records, totalSize, done };
  },

  async queriesInBulk({ withToken }) {
    const stream = await withToken().bulk2.query(EVERYONE, { pollInterval: 20 });
    return ids(await stream.toArray());
  },

  async isToldOfAWrongField({ withToken }) {
    await withToken().query('SELECT Id, Nmae FROM Account');
  },

  async isToldOfAWrongSearch({ withToken }) {
    await withToken().search("FIND 'Acme'");
  },

  async isToldOfAWrongToken({ withToken }) {
    await withToken({ accessToken: '00D000000000001!stale' }).query('SELECT Id FROM Account');
  },

  async isToldOfAWrongRecord({ withToken }) {
    await withToken().sobject('Account').retrieve('001000000000000AAA');
  },

  async isToldThatItMayNotWrite({ withToken }) {
    await withToken().sobject('Account').create({ Name: 'Initech' });
  },

  async logsInAgain({ loggedIn }) {
    const connection = await loggedIn();
    connection.accessToken = '00D000000000001!stale';
    return (await connection.query('SELECT COUNT() FROM Account')).totalSize;
  },

  async logsOut({ loggedIn, withToken }) {
    const connection = await loggedIn();
    const { accessToken } = connection;
    await connection.logout();
    await withToken({ accessToken }).query('SELECT Id FROM Account');
  },

  async logsOutByOAuth({ fresh, username, password, withToken }) {
    const connection = byOAuth(fresh);
    await connection.login(username, password);
    const { accessToken } = connection;
    await connection.logout();
    await withToken({ accessToken }).query('SELECT Id FROM Account');
  },
};
