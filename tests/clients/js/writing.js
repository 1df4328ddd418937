'use strict';

const names = async (connection) =>
  (await connection.query('SELECT Name FROM Account ORDER BY Id')).records.map((account) => account.Name);
const bulk = (operation, input, more = {}) => ({
  object: 'Account', operation, input, pollInterval: 20, pollTimeout: 20_000, ...more,
});
const shops = () => [0, 1, 2].map((number) => ({ Name: `Shop ${number}`, External_ID__c: `S-${number}` }));

module.exports = {
  async createsReadsChangesDeletes({ loggedIn }) {
    const connection = await loggedIn();
    const accounts = connection.sobject('Account');
    const made = await accounts.create({ Name: 'Initech', Industry: 'Technology' });
    const read = (await accounts.retrieve(made.id)).Name;
    const changed = await accounts.update({ Id: made.id, Name: 'Initrode' });
    const after = await names(connection);
    const deleted = await accounts.destroy(made.id);
    return { made, read, changed, after, deleted, left: await names(connection) };
  },

  async upserts({ loggedIn }) {
    const connection = await loggedIn();
    const accounts = connection.sobject('Account');
    const first = await accounts.upsert({ External_ID__c: 'A-1', Name: 'Initech' }, 'External_ID__c');
    const second = await accounts.upsert({ External_ID__c: 'A-1', Name: 'Initrode' }, 'External_ID__c');
    return { first, second, names: await names(connection) };
  },

  async createsMany({ loggedIn }) {
    const connection = await loggedIn();
    const done = await connection.sobject('Contact').create([{ LastName: 'Lee' }, { FirstName: 'Sam' }]);
    return done.map(({ success, errors }) => ({ success, errors }));
  },

  async createsManyOrNone({ loggedIn }) {
    const connection = await loggedIn();
    const rows = [{ LastName: 'Solo' }, { FirstName: 'Sam' }];
    const done = await connection.sobject('Contact').create(rows, { allOrNone: true });
    const left = (await connection.query("SELECT COUNT() FROM Contact WHERE LastName = 'Solo'")).totalSize;
    return { codes: done.map(({ errors }) => errors[0].statusCode), left };
  },

  async createsMoreThanACallHolds({ loggedIn }) {
    const connection = await loggedIn();
    const rows = Array.from({ length: 250 }, (_, number) => ({ LastName: `Many ${number}` }));
    const done = await connection.sobject('Contact').create(rows, { allowRecursive: true });
    return { made: done.filter(({ success }) => success).length };
  },

  async updatesAndDeletesMany({ loggedIn }) {
    const connection = await loggedIn();
    const accounts = connection.sobject('Account');
    const { records } = await connection.query('SELECT Id FROM Account ORDER BY Id');
    const changed = await accounts.update(records.map(({ Id }) => ({ Id, Industry: 'Energy' })));
    const deleted = await accounts.destroy(records.map(({ Id }) => Id));
    return { changed: changed.map((row) => row.success), deleted: deleted.map((row) => row.success) };
  },

  async seesTheDeleted({ loggedIn }) {
    const connection = await loggedIn();
    const [globex] = await connection.sobject('Account').find({ Name: 'Globex' }, 'Id');
    await connection.sobject('Account').destroy(globex.Id);
    const query = 'SELECT Name, IsDeleted FROM Account ORDER BY Name';
    const all = await connection.query(query).execute({ scanAll: true });
    return all.records.map(({ Name, IsDeleted }) => ({ Name, IsDeleted }));
  },

  async isRefusedARecord({ loggedIn }) {
    await (await loggedIn()).sobject('Contact').create({ FirstName: 'Sam' });
  },

  async isRefusedASecondDelete({ loggedIn }) {
    const accounts = (await loggedIn()).sobject('Account');
    const { id } = await accounts.create({ Name: 'Initech' });
    await accounts.destroy(id);
    await accounts.destroy(id);
  },

  async insertsInBulk({ loggedIn }) {
    const connection = await loggedIn();
    const done = await connection.bulk2.loadAndWaitForResults(bulk('insert', shops()));
    return { made: done.successfulResults, failed: done.failedResults, names: await names(connection) };
  },

  async insertsCsvInBulk({ loggedIn }) {
    const connection = await loggedIn();
    const csv = 'Name,Description\n"Shop, the first","says ""hi"""\nShop 2,\n';
    await connection.bulk2.loadAndWaitForResults(bulk('insert', csv));
    return (await connection.sobject('Account').find({ Name: { $like: 'Shop%' } }, ['Name', 'Description'])
      .sort('Id')).map(({ Name, Description }) => ({ Name, Description }));
  },

  async updatesUpsertsDeletesInBulk({ loggedIn }) {
    const connection = await loggedIn();
    const { successfulResults } = await connection.bulk2.loadAndWaitForResults(bulk('insert', shops()));
    const made = successfulResults.map((row) => row.sf__Id);
    const run = (...given) => connection.bulk2.loadAndWaitForResults(bulk(...given));
    await run('update', made.slice(0, 1).map((Id) => ({ Id, Name: 'Shop zero' })));
    await run('upsert', [{ External_ID__c: 'S-2', Name: 'Shop two' }, { External_ID__c: 'S-3', Name: 'Shop three' }],
      { externalIdFieldName: 'External_ID__c' });
    const between = await names(connection);
    await run('delete', made.map((Id) => ({ Id })));
    return { between, left: await names(connection) };
  },

  async isToldOfAFailedRow({ loggedIn }) {
    const connection = await loggedIn();
    const input = [{ LastName: 'Lee', FirstName: 'Pat' }, { LastName: '', FirstName: 'Sam' }];
    const done = await connection.bulk2.loadAndWaitForResults(bulk('insert', input, { object: 'Contact' }));
    return {
      made: done.successfulResults.map((row) => row.LastName),
      failed: done.failedResults.map(({ FirstName, sf__Error }) => ({ FirstName, sf__Error })),
      unprocessed: done.unprocessedRecords,
    };
  },
};
