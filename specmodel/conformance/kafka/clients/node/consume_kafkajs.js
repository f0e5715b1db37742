// kafkajs as a subject: JSON lines on standard input and output. It has no assign(): the consumer is
// the one member of a group. With "commit": true it commits each offset.
const readline = require('readline')
const { Kafka, logLevel } = require('kafkajs')

const say = event => console.log(JSON.stringify(event))

async function main (given) {
  const kafka = new Kafka({
    clientId: 'subject',
    brokers: given.bootstrap.split(','),
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 100, maxRetryTime: 300, retries: 50 }
  })
  const consumer = kafka.consumer({
    groupId: 'group', metadataMaxAge: 500, maxWaitTimeInMs: 200, heartbeatInterval: 500
  })
  await consumer.connect()
  await consumer.subscribe({ topic: given.topic, fromBeginning: given.reset === 'earliest' })
  for (const kind of ['consumer.crash', 'consumer.stop']) {
    consumer.on(kind, ({ payload }) => say({ error: `${kind} ${payload && payload.error}` }))
  }
  const joined = new Promise(resolve => consumer.on('consumer.group_join', resolve))
  await consumer.run({
    autoCommit: given.commit === true,
    eachMessage: async ({ message }) =>
      say({ offset: Number(message.offset), value: message.value.toString() })
  })
  await joined
  say({ ready: true, version: `kafkajs ${require('kafkajs/package.json').version}` })
}

const lines = readline.createInterface({ input: process.stdin })
lines.once('line', line => main(JSON.parse(line)).catch(wrong => { console.error(String(wrong)); process.exit(1) }))
lines.on('close', () => process.exit(0))
