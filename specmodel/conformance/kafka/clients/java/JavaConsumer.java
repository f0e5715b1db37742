// The Java KafkaConsumer as a subject: JSON lines on standard input and output.
import java.time.Duration;
import java.util.*;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.TopicPartition;

public class JavaConsumer {
  static synchronized void say(String line) { System.out.println(line); System.out.flush(); }

  static String quoted(Object text) {
    return "\"" + String.valueOf(text).replace("\\", "\\\\").replace("\"", "'").replace("\n", " ") + "\"";
  }

  static String given(String line, String key) {
    Matcher found = Pattern.compile("\"" + key + "\": \"([^\"]*)\"").matcher(line);
    return found.find() ? found.group(1) : "";
  }

  static String version() throws Exception {
    Properties found = new Properties();
    found.load(KafkaConsumer.class.getResourceAsStream("/kafka/kafka-version.properties"));
    return found.getProperty("version");
  }

  public static void main(String[] arguments) throws Exception {
    String line = new Scanner(System.in).nextLine();
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", given(line, "bootstrap"));
    settings.put("group.id", "group");
    settings.put("auto.offset.reset", given(line, "reset"));
    settings.put("enable.auto.commit", "false");
    settings.put("metadata.max.age.ms", "500");
    settings.put("fetch.max.wait.ms", "200");
    settings.put("reconnect.backoff.max.ms", "200");
    settings.put("default.api.timeout.ms", "600000");
    String strings = "org.apache.kafka.common.serialization.StringDeserializer";
    settings.put("key.deserializer", strings);
    settings.put("value.deserializer", strings);
    if (!given(line, "protocol").isEmpty()) settings.put("group.protocol", given(line, "protocol"));
    KafkaConsumer<String, String> consumer = new KafkaConsumer<>(settings);
    TopicPartition partition = new TopicPartition(given(line, "topic"), 0);
    boolean commits = line.contains("\"commit\": true");
    if (given(line, "protocol").isEmpty()) {
      consumer.assign(List.of(partition));
      if (!commits) consumer.seek(partition, 0);
    } else {
      consumer.subscribe(List.of(given(line, "topic")));
    }
    consumer.partitionsFor(given(line, "topic")); // the first metadata take long on a busy machine
    say("{\"ready\":true,\"version\":" + quoted("Java KafkaConsumer " + version()) + "}");
    AtomicBoolean asked = new AtomicBoolean();
    Thread watching = new Thread(() -> {
      try { for (int read; (read = System.in.read()) >= 0; ) if (read == '\n') asked.set(commits); }
      catch (Exception ended) { }
      Runtime.getRuntime().halt(0);
    });
    watching.setDaemon(true);
    watching.start();
    while (true) {
      try {
        if (asked.getAndSet(false)) {
          consumer.commitSync();
          say("{\"committed\":" + consumer.position(partition) + "}");
        }
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100)))
          say("{\"offset\":" + record.offset() + ",\"epoch\":" + record.leaderEpoch().orElse(-1)
              + ",\"value\":" + quoted(record.value()) + "}");
      } catch (InvalidOffsetException wrong) {
        say("{\"told\":" + quoted(wrong.getClass().getSimpleName() + ": " + wrong.getMessage()) + "}");
        Thread.sleep(300);
      }
    }
  }
}
