// The Java KafkaProducer as a subject: JSON lines on standard input and output.
import java.util.*;
import org.apache.kafka.clients.producer.*;

public class JavaProducer {
  public static void main(String[] arguments) throws Exception {
    Scanner lines = new Scanner(System.in);
    String line = lines.nextLine();
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", JavaConsumer.given(line, "bootstrap"));
    settings.put("acks", JavaConsumer.given(line, "acks"));
    settings.put("enable.idempotence", "false");
    settings.put("max.in.flight.requests.per.connection", "1");
    settings.put("linger.ms", "0");
    settings.put("retry.backoff.ms", "400");
    settings.put("retry.backoff.max.ms", "400");
    settings.put("metadata.max.age.ms", "500");
    settings.put("reconnect.backoff.max.ms", "200");
    String strings = "org.apache.kafka.common.serialization.StringSerializer";
    settings.put("key.serializer", strings);
    settings.put("value.serializer", strings);
    KafkaProducer<String, String> producer = new KafkaProducer<>(settings);
    String topic = JavaConsumer.given(line, "topic");
    producer.partitionsFor(topic); // the first metadata take long on a busy machine
    String version = JavaConsumer.quoted("Java KafkaProducer " + JavaConsumer.version());
    JavaConsumer.say("{\"ready\":true,\"version\":" + version + "}");
    while (lines.hasNextLine()) {
      String value = JavaConsumer.given(lines.nextLine(), "send");
      producer.send(new ProducerRecord<>(topic, 0, null, value), (found, wrong) -> {
        String named = JavaConsumer.quoted(value);
        if (wrong == null) {
          JavaConsumer.say("{\"acknowledged\":" + named + ",\"offset\":" + found.offset() + "}");
        } else {
          JavaConsumer.say("{\"failed\":" + named + ",\"error\":" + JavaConsumer.quoted(wrong) + "}");
        }
      });
    }
    Runtime.getRuntime().halt(0);
  }
}
