package flink

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// serverFactory is the class by which Beam opens all its services: for jobs, for files
// and for workers. It makes an address on the loopback, and then hands
//
//	NettyServerBuilder.forPort(address.getPort())
//
// the port alone, so that they listen to every machine, and run what anybody sends;
// there is no option for it. A job server is given the class with
//
//	NettyServerBuilder.forAddress(address)
//
// in its place, ahead of its own. TaskManagers get it with the job.
const serverFactory = "org/apache/beam/sdk/fn/server/ServerFactory$InetSocketAddressServerFactory.class"

// writeServerFactory writes that class of a job server, a jar or a folder of jars, into
// a jar for the head of its class path: a cluster is sent jars, and no folders.
func writeServerFactory(file, server string) error {
	class, err := classOf(server)
	if err == nil {
		class, err = bindToAddress(class)
	}
	if err != nil {
		return fmt.Errorf("keep the job server %s from listening to other machines: %w; `sentweave doctor --install flink` fetches one with which that is possible",
			server, err)
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	entry, err := w.Create(serverFactory)
	if err != nil {
		return err
	}
	if _, err := entry.Write(class); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, archive.Bytes(), 0o600)
}

// classOf reads serverFactory.
func classOf(server string) ([]byte, error) {
	jars := []string{server}
	if info, err := os.Stat(server); err != nil {
		return nil, err
	} else if info.IsDir() {
		if jars, err = filepath.Glob(filepath.Join(server, "*.jar")); err != nil {
			return nil, err
		}
	}
	for _, jar := range jars {
		class, err := entryOf(jar, serverFactory)
		if class != nil || err != nil {
			return class, err
		}
	}
	return nil, errors.New("it has no class " + serverFactory)
}

// entryOf reads an entry of a jar; nil if it has none.
func entryOf(jar, name string) ([]byte, error) {
	archive, err := zip.OpenReader(jar)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", jar, err)
	}
	defer archive.Close()
	f, err := archive.Open(name)
	if err != nil {
		return nil, nil // there is none
	}
	defer f.Close()
	const limit = 1 << 20
	class, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w", name, jar, err)
	}
	return class, nil
}

// bindToAddress returns the class with the one call in the place of the other. It is an
// error if that is not there exactly once.
func bindToAddress(class []byte) ([]byte, error) {
	pool, err := readConstants(class)
	if err != nil {
		return nil, err
	}
	var getPort, forPort uint16
	builder := ""
	for i := range pool.places {
		owner, name, descriptor := pool.method(i)
		switch {
		case owner == "java/net/InetSocketAddress" && name == "getPort" && descriptor == "()I":
			getPort = uint16(i)
		case strings.HasSuffix(owner, "/grpc/netty/NettyServerBuilder") && name == "forPort" && descriptor == "(I)L"+owner+";":
			forPort, builder = uint16(i), owner
		}
	}
	const invokeVirtual, invokeStatic, nop = 0xb6, 0xb8, 0
	call := []byte{invokeVirtual, byte(getPort >> 8), byte(getPort), invokeStatic, byte(forPort >> 8), byte(forPort)}
	rest := class[pool.end:]
	offset := bytes.Index(rest, call)
	if getPort == 0 || forPort == 0 || offset < 0 || bytes.Count(rest, call) != 1 {
		return nil, errOtherClass
	}
	n := len(pool.places)
	changed := bytes.Clone(class[:pool.end])
	for _, text := range []string{"forAddress", "(Ljava/net/SocketAddress;)L" + builder + ";"} {
		changed = binary.BigEndian.AppendUint16(append(changed, constantUTF8), uint16(len(text)))
		changed = append(changed, text...)
	}
	changed = binary.BigEndian.AppendUint16(append(changed, constantNameAndType), uint16(n))
	changed = binary.BigEndian.AppendUint16(changed, uint16(n+1))
	binary.BigEndian.PutUint16(changed[constantCount:], uint16(n+3))
	binary.BigEndian.PutUint16(changed[pool.places[forPort]+3:], uint16(n+2))
	changed = append(changed, rest[:offset]...)
	changed = append(changed, nop, nop, nop) // the address itself is the argument
	return append(changed, rest[offset+3:]...), nil
}

// Places and tags in a class file, as the Java Virtual Machine Specification has them
// (chapter 4).
const (
	constantCount       = 8
	constantUTF8        = 1
	constantMethod      = 10
	constantNameAndType = 12
	mostConstants       = 1 << 15
)

// constantBytes are the sizes of constants by their tags, but for UTF8.
var constantBytes = map[byte]int{
	3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, constantMethod: 4, 11: 4, constantNameAndType: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2,
}

var errOtherClass = errors.New("its class " + serverFactory + " is not as Beam 2.62 has it")

// constants are those of a class: the place of each by its number, 0 for none, and
// where they end.
type constants struct {
	class  []byte
	places []int
	end    int
}

func readConstants(class []byte) (constants, error) {
	c := constants{class: class}
	if len(class) < constantCount+2 || binary.BigEndian.Uint32(class) != 0xcafebabe {
		return c, errOtherClass
	}
	count := int(binary.BigEndian.Uint16(class[constantCount:]))
	if count > mostConstants {
		return c, errOtherClass
	}
	c.places, c.end = make([]int, count), constantCount+2
	for i := 1; i < count; i++ {
		if c.end+3 > len(class) {
			return c, errOtherClass
		}
		c.places[i] = c.end
		tag := class[c.end]
		size, ok := constantBytes[tag]
		if tag == constantUTF8 {
			size, ok = 2+int(binary.BigEndian.Uint16(class[c.end+1:])), true
		}
		if c.end += 1 + size; !ok || c.end > len(class) {
			return c, errOtherClass
		}
		if tag == 5 || tag == 6 { // numbers of 64 bits count as two
			i++
		}
	}
	return c, nil
}

// reference returns the number that is in a constant of a tag; 0 for another one.
func (c constants) reference(i int, tag byte, offset int) int {
	if i <= 0 || i >= len(c.places) || c.places[i] == 0 || c.class[c.places[i]] != tag {
		return 0
	}
	return int(binary.BigEndian.Uint16(c.class[c.places[i]+offset:]))
}

// text returns a constant of text; "" for another one.
func (c constants) text(i int) string {
	n := c.reference(i, constantUTF8, 1)
	if n == 0 {
		return ""
	}
	return string(c.class[c.places[i]+3:][:n])
}

// method returns the class, the name and the descriptor of a method that is called;
// "" for another constant.
func (c constants) method(i int) (owner, name, descriptor string) {
	const constantClass = 7
	what := c.reference(i, constantMethod, 3)
	return c.text(c.reference(c.reference(i, constantMethod, 1), constantClass, 1)),
		c.text(c.reference(what, constantNameAndType, 1)), c.text(c.reference(what, constantNameAndType, 3))
}
