// kafkajs's producer as a subject: JSON lines on standard input and output.
const readline = require('readline')
const { Kafka, logLevel } = require('kafkajs')

const say = event => console.log(JSON.stringify(event))

async function main (given, lines) {
  const kafka = new Kafka({
    clientId: 'subject',
    brokers: given.bootstrap.split(','),
    logLevel: logLevel.NOTHING
  })
  const producer = kafka.producer({
    metadataMaxAge: 500,
    maxInFlightRequests: 1,
    retry: { initialRetryTime: 400, maxRetryTime: 400, factor: 0, retries: 50 }
  })
  await producer.connect()
  say({ ready: true, version: `kafkajs ${require('kafkajs/package.json').version}` })
  const acks = given.acks === 'all' ? -1 : Number(given.acks)
  lines.on('line', async line => {
    const value = JSON.parse(line).send
    try {
      const [found] = await producer.send({ topic: given.topic, acks, messages: [{ value, partition: 0 }] })
      say({ acknowledged: value, offset: Number(found.baseOffset) })
    } catch (wrong) {
      say({ failed: value, error: String(wrong) })
    }
  })
}

const lines = readline.createInterface({ input: process.stdin })
lines.once('line', line => main(JSON.parse(line), lines).catch(wrong => { console.error(String(wrong)); process.exit(1) }))
lines.on('close', () => process.exit(0))
